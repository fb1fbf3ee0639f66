/** How an area can be summed up: what the link may have of it. */

/** What the area is shown as: rows that add up, or who called whom. */
export const VIEWS = [
  { id: 'table', label: 'Table' },
  { id: 'flame', label: 'Flame graph' },
  { id: 'callees', label: 'Flame graph, inverted' },
] as const

export const SIDES = [
  { id: 'device', label: 'Devices' },
  { id: 'host', label: 'Threads' },
] as const

export const FRAMES = [
  { id: 'all', label: 'All' },
  { id: 'operators', label: 'Operators' },
  { id: 'python', label: 'Python' },
] as const

export const GROUPS = [
  { id: 'name', label: 'Name' },
  { id: 'category', label: 'Category' },
  { id: 'module', label: 'Module' },
  { id: 'class', label: 'Module class' },
  { id: 'step', label: 'Step' },
] as const

export const WAYS: Readonly<Record<string, readonly { readonly id: string }[]>> = {
  'timeline.as': VIEWS,
  'timeline.side': SIDES,
  'timeline.frames': FRAMES,
  'timeline.group': GROUPS,
  'timeline.then': GROUPS,
}
