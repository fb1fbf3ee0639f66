/** One colour and one word per category, the same in every view. Colours are variables of theme.css. */

export interface Category {
  readonly id: string
  readonly title: string
  readonly color: string
  readonly definition: string
}

function category(id: string, title: string, color: string, definition: string): Category {
  return { id, title, color: `var(--c-${color})`, definition }
}

/** The parts of a step, in the order of the wire's Breakdown: each instant counts once, for the first that is active. */
export const BREAKDOWN = [
  category('kernel', 'Kernel', 'kernel', 'At least one kernel that is no collective runs on the device.'),
  category('copy', 'Copy', 'copy', 'No kernel runs, and memory is copied from, to or on the device.'),
  category('set', 'Set', 'set', 'Nothing above runs, and device memory is filled.'),
  category(
    'communication',
    'Communication',
    'communication',
    'Only collectives run: communication that nothing hides. Without a device: host ranges of collectives.',
  ),
  category('runtime', 'Runtime', 'runtime', 'The device is idle and the host is in a runtime or driver call.'),
  category('data_loader', 'Data loader', 'data-loader', 'The device is idle and the host waits for the next batch.'),
  category(
    'other_host',
    'Other host',
    'other-host',
    'The device is idle and the host runs operators or other recorded code.',
  ),
  category('idle', 'Idle', 'idle', 'Nothing that was recorded runs, on the device or on the host.'),
] as const satisfies readonly Category[]
