/** The Python stacks that the calls of a row come from. */
import { exactCount, formatNs, plural } from '../../base/units'
import { Section } from '../../widgets/panel/section'
import type { OperatorDetails, OperatorStack } from '../../wire/wire'
import * as define from './definitions'

interface StacksProps {
  readonly details: OperatorDetails
  readonly hasDevice: boolean
}

export function Stacks({ details, hasDevice }: StacksProps) {
  return (
    <Section title="Call stacks" definition={define.stacks}>
      {details.no_stacks === null ? (
        <ul class="stacks">
          {details.stacks.map((stack, index) => (
            <li key={stack.frames.join('\n') || index}>
              <Stack stack={stack} hasDevice={hasDevice} isOnly={details.stacks.length === 1} />
            </li>
          ))}
        </ul>
      ) : (
        <p class="soft">{details.no_stacks}</p>
      )}
    </Section>
  )
}

interface StackProps {
  readonly stack: OperatorStack
  readonly hasDevice: boolean
  readonly isOnly: boolean
}

function Stack({ stack, hasDevice, isOnly }: StackProps) {
  const times = [`host ${formatNs(stack.host_ns)}`, hasDevice && `device ${formatNs(stack.device_ns)}`].filter(Boolean)
  const figures = (
    <span class="soft">
      {plural(stack.count, 'call')} · {times.join(' · ')}
    </span>
  )
  const [innermost] = stack.frames
  if (innermost === undefined) {
    return (
      <>
        {stack.is_rest ? 'other stacks' : 'no Python frame'} {figures}
      </>
    )
  }
  return (
    <details open={isOnly}>
      <summary>
        <span class="mono">{shownFrame(stack.frames)}</span> {figures}
      </summary>
      <ol class="mono" aria-label={`${exactCount(stack.frames.length)} frames, innermost first`}>
        {stack.frames.map((frame, index) => (
          <li key={index}>{frame}</li>
        ))}
      </ol>
    </details>
  )
}

/** What tells a stack from others: its innermost frame that is neither torch's nor a module's. */
export function shownFrame(frames: readonly string[]): string {
  const own = frames.find((frame) => /\(\d+\): /.test(frame) && !/^(?:.*[/\\])?torch[/\\]|^</.test(frame))
  return own ?? frames[0] ?? ''
}
