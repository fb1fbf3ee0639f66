/** The files of a profile, and their size. */
import { formatBytes } from '../base/units'

export function Files({ names, bytes }: { readonly names: readonly string[]; readonly bytes: number }) {
  return (
    <p class="mono">
      {names.join(', ')} <span class="soft">{formatBytes(bytes)}</span>
    </p>
  )
}
