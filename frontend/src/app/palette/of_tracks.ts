/** Commands for the tracks of the timeline, those that are hidden or far away too. Pure. */
import { at, go } from '../../state/place'
import type { TimelineTracks } from '../../wire/wire'
import type { Command } from './match'

/** All groups folded; to each track, and what is done beside its name. */
export function ofTracks(tracks: Pick<TimelineTracks, 'tracks' | 'groups'> | undefined): readonly Command[] {
  if (tracks === undefined) return []
  const hidden = idsAt('timeline.hidden')
  const pinned = idsAt('timeline.pinned')
  const flat = idsAt('timeline.folded').filter((key) => key.startsWith('t'))
  const fold = (groups: readonly string[]) => (): void =>
    go({ view: 'timeline', 'timeline.folded': [...groups, ...flat].join(',') || 'none' })
  const ofGroups: readonly Command[] = [
    {
      words: 'Fold all groups',
      about: 'of tracks',
      also: 'collapse close',
      act: fold(tracks.groups.map((_, i) => `g${i}`)),
    },
    { words: 'Unfold all groups', about: 'of tracks', also: 'expand open', act: fold([]) },
  ]
  const each = tracks.tracks.flatMap(({ id, name, group }) => {
    const of = tracks.groups[group]?.name ?? ''
    const about = of === '' ? 'track' : `track of ${of}`
    const key = String(id)
    const changed = (param: string, ids: readonly string[]) => (): void =>
      go({ view: 'timeline', [param]: toggled(ids, key) })
    const lead = (): void => go({ view: 'timeline', 'timeline.track': key })
    return [
      { words: name, about, also: 'go to scroll find show', act: lead },
      hidden.includes(key)
        ? { words: `Show ${name}`, about, also: 'unhide', act: lead }
        : { words: `Hide ${name}`, about, also: 'remove', act: changed('timeline.hidden', hidden) },
      {
        words: pinned.includes(key) ? `Let ${name} scroll` : `Pin ${name}`,
        about,
        also: 'pin unpin top',
        act: changed('timeline.pinned', pinned),
      },
    ]
  })
  return [...ofGroups, ...each]
}

function idsAt(key: string): readonly string[] {
  return (at(key) ?? '').split(',').filter((id) => id !== '')
}

function toggled(ids: readonly string[], id: string): string {
  return (ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id]).join(',')
}
