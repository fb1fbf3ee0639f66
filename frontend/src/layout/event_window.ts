/** A window around an event, so that its neighbours show: its own length on both sides, at least `least` ns in all. */
export function windowAround(start: number, duration: number, least: number): readonly [number, number] {
  const around = Math.max(duration, (least - duration) / 2)
  return [Math.max(0, Math.round(start - around)), Math.round(start + duration + around)]
}
