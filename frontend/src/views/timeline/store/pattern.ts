/** What a search looks for in a name, where a report looks itself: in any case, as the server does. */
export function patternOf(q: string, isRegex: boolean): RegExp {
  return new RegExp(isRegex ? q : q.replace(/[^\w\s]/g, '\\$&'), 'i')
}
