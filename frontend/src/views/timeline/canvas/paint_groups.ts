/** Behind the names of groups and between tracks; of a folded group how busy it is, part by part of the recording as in the strip above. */
import { scrolled } from '../../../draw/blocks/lane_layout'
import type { StripRow } from '../../../draw/blocks/blocks'
import { busyColor, paintBusy } from '../../../draw/paint/paint_header'
import type { TracksScene } from '../../../draw/paint/paint_tracks'
import type { Pen } from '../../../draw/paint/pen'
import type { TimelineTracks } from '../../../wire/wire'

const ABOVE_PX = 3

type Scene = Pick<TracksScene, 'layout' | 'palette' | 'scrollTop' | 'height' | 'view'>
type Of = Pick<TimelineTracks, 'groups' | 'density'>

/** `kept`: what filters keep, where there are any: of all the rest is grey. */
export function paintGroups(context: Pen, scene: Scene, of: Of, kept: readonly StripRow[] | undefined): void {
  const { layout, palette, scrollTop, height, view } = scene
  for (const { top, height: tall, index, isFolded } of layout.groups) {
    const y = top - scrollTop
    if (y >= height || y + tall <= 0) continue
    context.fillStyle = palette.raised
    context.fillRect(0, y, view.width, tall - 1)
    for (const rows of isFolded ? [of.density, kept ?? []] : []) {
      const row = loadOf(of.groups, rows, index)
      if (row === undefined) continue
      context.fillStyle = kept && rows !== kept ? palette.left : busyColor(row, palette)
      const partPx = (view.end - view.start) / row.busy.length / view.nsPerPx
      paintBusy(context, row, view.width, view.x(view.start), partPx, y + ABOVE_PX, tall - 1 - 2 * ABOVE_PX)
    }
  }
  context.fillStyle = palette.line
  for (const track of layout.tracks) {
    const y = track.top + track.height + scrolled(track, scrollTop) - 4
    if (y < height && y > 0) context.fillRect(0, y, view.width, 1)
  }
}

/** Of a device its own row; of the host the only process's: of several it is not known which one has which part. */
function loadOf(groups: Of['groups'], rows: readonly StripRow[], index: number): StripRow | undefined {
  const { device, name = '' } = groups[index] ?? {}
  const isProcess = (of: string): boolean => of.startsWith('process ')
  const isOnly = isProcess(name) && groups.filter((each) => isProcess(each.name)).length === 1
  return rows.find((row) => row.device === device && (device !== null || isOnly))
}
