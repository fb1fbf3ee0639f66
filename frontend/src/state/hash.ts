/** A place as a URL's hash and back. Pure.

    in TensorBoard   #torch_profile&p.torch_profile.view=kernels&p.torch_profile.run=resnet50
    stand-alone      #view=kernels&run=resnet50
*/

export type Place = Readonly<Record<string, string>>
export type Changes = Readonly<Record<string, string | undefined>>

export const PLUGIN = 'torch_profile'
const OURS = `p.${PLUGIN}.`

/** Percent-encodes what a hash or TensorBoard's parser would trip over; slashes and commas stay readable. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%2F/g, '/').replace(/%3A/g, ':').replace(/%2C/g, ',')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a stray % typed by hand
  }
}

function parts(hash: string): string[] {
  return hash
    .replace(/^#/, '')
    .split('&')
    .filter((part) => part !== '')
}

/** True when TensorBoard shows another tab: then the hash is not ours to read or write. */
export function isElsewhere(hash: string): boolean {
  const first = parts(hash)[0]
  return first !== undefined && !first.includes('=') && first !== PLUGIN
}

export function parsePlace(hash: string, inTensorBoard: boolean): Place {
  const prefix = inTensorBoard ? OURS : ''
  const place: Record<string, string> = {}
  for (const part of parts(hash)) {
    const equals = part.indexOf('=')
    if (equals < 0) continue
    const key = decode(part.slice(0, equals))
    if (key.startsWith(prefix)) place[key.slice(prefix.length)] = decode(part.slice(equals + 1))
  }
  return place
}

/** The hash that shows `place`. Keys of TensorBoard and of other plugins in `before` stay as they are. */
export function formatPlace(place: Place, before: string, inTensorBoard: boolean): string {
  const prefix = inTensorBoard ? OURS : ''
  const own = Object.entries(place).map(([key, value]) => `${encode(prefix + key)}=${encode(value)}`)
  if (!inTensorBoard) return '#' + own.join('&')
  const others = parts(before).filter((part) => part.includes('=') && !decode(part).startsWith(OURS))
  return '#' + [PLUGIN, ...others, ...own].join('&')
}

/** `place` with `changes`; undefined and '' remove a key. */
export function changed(place: Place, changes: Changes): Place {
  const next: Record<string, string> = { ...place }
  for (const [key, value] of Object.entries(changes)) {
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a fresh object, small
    if (value === undefined || value === '') delete next[key]
    else next[key] = value
  }
  return next
}
