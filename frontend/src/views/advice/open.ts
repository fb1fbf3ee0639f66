/** Which findings are open, as in the link: `data_loader,host_bound`. */
export function parseOpen(text: string | undefined): ReadonlySet<string> {
  return new Set((text ?? '').split(',').filter(Boolean))
}

export function toggledOpen(open: ReadonlySet<string>, id: string): string | undefined {
  const next = new Set(open)
  if (!next.delete(id)) next.add(id)
  return next.size === 0 ? undefined : Array.from(next).join(',')
}

/** A window around an event, so that its neighbours show: its own length on both sides, at least `least` ns in all. */
export function windowAround(start: number, duration: number, least: number): readonly [number, number] {
  const around = Math.max(duration, (least - duration) / 2)
  return [Math.max(0, Math.round(start - around)), Math.round(start + duration + around)]
}
