/** The bytes of collectives in a cell: a sum over those whose size is known. */
import { exactBytes, exactCount, formatBytes } from '../../base/units'

export function messages(bytes: number | null, unsized: number) {
  if (bytes === null) return undefined
  return (
    <span
      title={
        unsized > 0
          ? `at least ${exactBytes(bytes)}: the size of ${exactCount(unsized)} is not recorded`
          : exactBytes(bytes)
      }
    >
      {unsized > 0 ? '≥ ' : ''}
      {formatBytes(bytes)}
    </span>
  )
}
