/** Own times of what a picture shows, in the order of beginning, outer ones first: each instant is of what began last and is open. Pure.

    a |--------------------|      own(a) = all of it without b, and without the covered part of c
    b   |-----|
    c            |::::::|         several, merged into one block
*/

/** `part`: how much of its stretch is covered, 1 for an event. */
export interface Timed {
  readonly from: number
  readonly to: number
  readonly part: number
}

export function ownTimes(all: readonly Timed[]): readonly number[] {
  const own = all.map(() => 0)
  const open: number[] = []
  let now = -Infinity
  const give = (ns: number): void => {
    let given = 0
    for (let at = open.length - 1; at >= 0 && given < 1; at--) {
      const place = open[at] as number
      const { to, part } = all[place] as Timed
      if (to <= now || part <= given) continue // what began later and outlived it has its time
      own[place] = (own[place] as number) + (part - given) * ns
      given = part
    }
  }
  const pass = (until: number): void => {
    for (; open.length > 0; open.pop()) {
      const { to } = all[open.at(-1) as number] as Timed
      const end = Math.min(to, until)
      if (end > now) give(end - now)
      now = Math.max(now, end)
      if (to > until) return
    }
    now = Math.max(now, until)
  }
  all.forEach(({ from }, place) => {
    pass(from)
    open.push(place)
  })
  pass(Infinity)
  return own
}
