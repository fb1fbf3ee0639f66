/** What makes calls one row. */
export const GROUPS = [
  { id: 'name', label: 'Name', title: 'Operator' },
  { id: 'shapes', label: 'Name and input shapes', title: 'Operator' },
  { id: 'call_site', label: 'Call site (Python)', title: 'Call site' },
  { id: 'module', label: 'Module', title: 'Module' },
  { id: 'category', label: 'Category', title: 'Category' },
] as const

export type GroupId = (typeof GROUPS)[number]['id']

/** As it stands in the link. */
export function groupOf(text: string | undefined): GroupId {
  return GROUPS.find((group) => group.id === text)?.id ?? 'name'
}
