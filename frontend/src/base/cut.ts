/** Cuts long names in the middle, least telling parts first: the ends of a kernel's name are what tells it from others. */

export const ELLIPSIS = '…'

/** Of a track's name beside other facts: any name that people gave fits, one of kilobytes does not hide the rest. */
export const TRACK_CHARACTERS = 120

/** What goes first, one after the other, while the name is too long. Whole names are a hover and a copy away. */
const NOISE: readonly (readonly [RegExp, string])[] = [
  [/^(?:void |nn\.Module: (?=.))/, ''],
  [/\(anonymous namespace\)::/g, ''],
  [/(?<=\S)\([^()]{2,}(?:\([^()]*\)[^()]*)*\)$/, `(${ELLIPSIS})`], // the parameters; types of what the template already says
  [/\b(?:at::native|at|c10|std|cuda|thrust|cub)::(?=\w)/g, ''],
]

const TURNS = /[\u202a-\u202e\u2066-\u2069]/g

/** `name` without what would turn it round, or what stands after it, as its time. */
export function legible(name: string): string {
  return name.replace(TURNS, '�')
}

/** `name` in at most `size` characters. Names of one list: `Names`, so that different ones never read the same. */
export function cutMiddle(name: string, size: number): string {
  const short = plainest(legible(name), size)
  if (short.length <= size) return short
  return cutTemplate(short, size) ?? cut(short, size)
}

/** A Python frame, `folder/base.py(1206): forward`: its function tells more than where it stands. */
export const FRAME = /^.*\(\d+\): (?=.)/

/** In fewer characters two ends and an ellipsis would say less than the beginning. */
export const SHORT = 14

/** What many names begin with goes where there is no room for more: `conv…` tells more than `aten…`, `Laun…` than `cuda…`. */
const SHARED = /^(ProfilerStep|cuda|hip|[\w:.]*: ?|nccl[A-Za-z]+_)(?=[#\w])/

/** A number that stands apart at the end: of `job 0`, `Layer_5`, `layer.10` it is all that tells one from the others. */
const NUMBER = /(?<=[ _#.:/-])\d+$/

/** `name` in at most `size` characters, as a mark in a chart that stands for itself has it. */
export function cutLabel(given: string, size: number): string {
  const name = legible(given)
  const place = FRAME.exec(name)?.[0] ?? ''
  const own = name.slice(place.length)
  const whole = [name, name.slice(place.lastIndexOf('/') + 1), own].find((text) => text.length <= size)
  if (whole !== undefined) return whole
  if (size >= SHORT) return cutMiddle(own, size)
  const head = plainest(own.replace(SHARED, ''), size)
  if (head.length <= size) return head
  const number = NUMBER.exec(head)?.[0] ?? ''
  const room = size - 1 - number.length
  return room < 1 ? head.slice(0, size - 1) + ELLIPSIS : head.slice(0, room) + ELLIPSIS + number
}

/** `name` without what tells least, as far as needed to fit; often still too long. */
export function plainest(name: string, size: number): string {
  let short = name
  for (const [pattern, instead] of NOISE) {
    if (short.length <= size) return short
    // An operator's own name is all namespace: aten::mm stays, a bare `(…)` would say nothing.
    const next = short.replace(pattern, instead)
    if (next.length > 0) short = next
  }
  return short
}

const ARGUMENTS_HEAD = 0.75 // functors come first; the end is often the same array type
const LEAST_ARGUMENTS = 10 // characters; fewer tell no functor from another

/** The arguments of the first template cut as far as needed; where too little of them is left, the name before them too. */
function cutTemplate(name: string, size: number): string | undefined {
  const start = name.indexOf('<')
  const end = name.lastIndexOf('>')
  if (start < 0 || end <= start || size < 2 * LEAST_ARGUMENTS) return undefined
  const [kernel, args] = [name.slice(0, start), name.slice(start + 1, end)]
  const tail = name.slice(end + 1)
  const room = size - kernel.length - tail.length - 2
  if (room >= LEAST_ARGUMENTS) return `${kernel}<${cut(args, room, ARGUMENTS_HEAD)}>${tail}`
  const half = Math.floor(size / 2) - 1
  const short = cut(kernel, half)
  return `${short}<${cut(args, size - short.length - 2, ARGUMENTS_HEAD)}>`
}

/** The beginning and the end. */
export function cut(text: string, size: number, share = 0.55): string {
  if (text.length <= size) return text
  const keep = Math.max(0, size - 1)
  const head = Math.ceil(keep * share)
  return text.slice(0, head) + ELLIPSIS + text.slice(text.length - (keep - head))
}
