/**
 * Numbers as people read them: three significant digits and a unit. Exact values are for hover, copies and exports.
 * `tb_plugin/base/units.py` is the same rule for the shell; both are held to `tests/base/units_cases.json`.
 */

const TIME_STEPS = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
] as const
const BYTE_STEPS = [
  [2 ** 40, 'TiB'],
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
] as const
const RATE_STEPS = [
  [1e15, 'PB/s'],
  [1e12, 'TB/s'],
  [1e9, 'GB/s'],
  [1e6, 'MB/s'],
  [1e3, 'kB/s'],
] as const

const FLOP_STEPS = [
  [1e15, 'PFLOP'],
  [1e12, 'TFLOP'],
  [1e9, 'GFLOP'],
  [1e6, 'MFLOP'],
  [1e3, 'kFLOP'],
] as const

const COUNT_STEPS = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
] as const

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const exact = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 })

/** `12.3`, `4.56`, `812`; never an exponent. Whole small numbers stay whole only when they are zero. */
export function threeDigits(value: number): string {
  const size = Math.abs(value)
  if (size === 0) return '0'
  return minus(value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2))
}

/** As sentences and differences have it: one sign for one thing. */
function minus(text: string): string {
  return text.replace(/^-/, '−')
}

type Steps = readonly (readonly [size: number, unit: string])[]

/** Undefined below the least of the steps. */
function stepped(value: number, steps: Steps): string | undefined {
  // 0.9995: what would round up to 1000 of a unit is shown as 1.00 of the next.
  const step = steps.find(([size]) => Math.abs(value) >= size * 0.9995)
  return step && `${threeDigits(value / step[0])} ${step[1]}`
}

function scaled(value: number, steps: Steps, base: string): string {
  return stepped(value, steps) ?? `${Number.isInteger(value) ? minus(value.toFixed(0)) : threeDigits(value)} ${base}`
}

export function formatNs(ns: number): string {
  return scaled(ns, TIME_STEPS, 'ns')
}

/** `43.5 ms to 44.0 ms`; one figure where both read the same. */
export function formatRange(least: number, most: number): string {
  const [from, to] = [formatNs(least), formatNs(most)]
  return from === to ? to : `${from} to ${to}`
}

/** A difference: `+12.3 ms`, `−4.56 µs`. */
export function signedNs(ns: number): string {
  return `${ns > 0 ? '+' : ns < 0 ? '−' : ''}${formatNs(Math.abs(ns))}`
}

/** `+20.6 %`, `−7.12 %`. */
export function signedShare(share: number): string {
  return `${share > 0 ? '+' : share < 0 ? '−' : ''}${formatShare(Math.abs(share))}`
}

export function formatBytes(bytes: number): string {
  return scaled(bytes, BYTE_STEPS, 'B')
}

export function formatRate(bytesPerSecond: number): string {
  return scaled(bytesPerSecond, RATE_STEPS, 'B/s')
}

/** Floating point operations; a rate is this with `/s` behind it. */
export function formatFlops(flops: number): string {
  return scaled(flops, FLOP_STEPS, 'FLOP')
}

/** A share between 0 and 1 as `45.2 %`. What is there but would round to nothing is `< 0.01 %`. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.000_05) return '< 0.01 %'
  return `${threeDigits(share * 100)} %`
}

/** `12,345` up to a million, then `1.23 M`: for sentences, not for table cells. */
export function formatCount(count: number): string {
  return stepped(count, COUNT_STEPS) ?? exactCount(count)
}

/** A number of no unit that is known: a count, or three digits of what is less than a hundred. */
export function formatNumber(value: number): string {
  return Math.abs(value) < 99.95 ? minus(`${Number(value.toPrecision(3))}`) : formatCount(value)
}

export function exactCount(count: number): string {
  return minus(whole.format(count))
}

export function exactNs(ns: number): string {
  return `${minus(exact.format(ns))} ns`
}

/** A place in time of which no more is known than that it is within `stepNs` after this one: `12,345.6 µs`. */
export function knownNs(ns: number, stepNs: number): string {
  if (stepNs <= 1) return exactNs(ns)
  const nDigits = Math.ceil(Math.log10(stepNs)) // of ns, not known
  const [size, unit] = TIME_STEPS.findLast(([size]) => size >= 10 ** nDigits) ?? TIME_STEPS[0]
  const digits = Math.max(Math.log10(size) - nDigits, 0)
  const shown = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return `${minus(((ns + stepNs / 2) / size).toLocaleString('en-US', shown))} ${unit}`
}

export function exactBytes(bytes: number): string {
  return `${exactCount(bytes)} bytes`
}

/** Unix time in nanoseconds as `2026-11-20 14:03`, on the clock of whoever reads. */
export function formatTime(ns: number): string {
  const time = new Date(ns / 1e6)
  return `${time.toLocaleDateString('sv')} ${time.toLocaleTimeString('sv', { hour: '2-digit', minute: '2-digit' })}`
}

export function exactTime(ns: number): string {
  const time = new Date(ns / 1e6)
  return `${time.toLocaleDateString('sv')} ${time.toLocaleTimeString('sv')}`
}

/** `2 spans`, `1 span`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${exactCount(count)} ${count === 1 ? one : many}`
}

/** Sentences of the server say "us", which every terminal can show; the page has one word for it. */
export function withMicroseconds(sentence: string): string {
  return sentence.replace(/(\d\s)us\b/g, '$1µs').replace(/([ (])-(?=\d)/g, '$1−')
}
