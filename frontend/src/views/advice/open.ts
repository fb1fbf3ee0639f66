/** Which findings are open, as in the link: `data_loader,host_bound`. */
export function parseOpen(text: string | undefined): ReadonlySet<string> {
  return new Set((text ?? '').split(',').filter(Boolean))
}

export function toggledOpen(open: ReadonlySet<string>, id: string): string | undefined {
  const next = new Set(open)
  if (!next.delete(id)) next.add(id)
  return next.size === 0 ? undefined : Array.from(next).join(',')
}
