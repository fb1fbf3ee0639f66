/** A drawing as a file: SVG as it is, PNG as the browser paints it, at twice the size of the screen's pixels. */
import { FILTERS, filterText, filters } from '../../state/filters'
import type { Profile } from '../../wire/profile'
import { download, fileName } from '../links/download'
import { pictureOf } from './picture'
import type { Heading } from './picture'

const SCALE = 2
const MOST_PX = 16_000 // a side of a canvas, in browsers of today

/** What is in sight below a heading. What a view wants to be said of it stands in its `data-picture`, as JSON. */
export async function saveView(title: string, profile: Profile | undefined, ending: 'png' | 'svg'): Promise<void> {
  const view = document.querySelector('main')
  if (view === null) return
  const lines = linesOf(profile)
  const svg = pictureOf(view, () => {
    const said = view.querySelector<HTMLElement>('[data-picture]')?.dataset['picture']
    const more = said === undefined ? {} : (JSON.parse(said) as Partial<Heading>)
    return { title, lines: [...lines, ...(more.lines ?? [])], legend: more.legend ?? [] }
  })
  const name = fileName([title, ...lines], ending)
  if (ending === 'svg') download(name, 'image/svg+xml', textOf(svg))
  else await savePng(name, svg)
}

/** Of what it is a picture: the profile, and what of it counts. */
function linesOf(profile: Profile | undefined): string[] {
  const set = filters.value
  const chosen = FILTERS.flatMap((id) => (set[id] === undefined ? [] : [filterText(id, set[id])]))
  return [
    ...(profile === undefined ? [] : [`${profile.run} · ${profile.worker} · ${profile.span}`]),
    ...(chosen.length === 0 ? [] : [`Only ${chosen.join(', ')}`]),
  ]
}

async function savePng(name: string, svg: SVGSVGElement): Promise<void> {
  const address = URL.createObjectURL(new Blob([textOf(svg)], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = address
    await image.decode()
    const [width, height] = ['width', 'height'].map((side) => Number(svg.getAttribute(side))) as [number, number]
    const scale = Math.min(SCALE, MOST_PX / Math.max(width, height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.round(width * scale)
    canvas.height = Math.round(height * scale)
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
    if (blob === null) throw new Error('The browser cannot paint this picture: save it as SVG.')
    download(name, 'image/png', blob)
  } finally {
    URL.revokeObjectURL(address)
  }
}

function textOf(svg: SVGSVGElement): string {
  return new XMLSerializer().serializeToString(svg)
}
