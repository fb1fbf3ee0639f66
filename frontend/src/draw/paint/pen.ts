/** What pictures are painted with: the part of a canvas's context that they need, so that they can be drawn as vectors too. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | 'arc'
  | 'beginPath'
  | 'bezierCurveTo'
  | 'clip'
  | 'drawImage'
  | 'fill'
  | 'fillRect'
  | 'fillStyle'
  | 'fillText'
  | 'font'
  | 'globalAlpha'
  | 'globalCompositeOperation'
  | 'imageSmoothingEnabled'
  | 'lineTo'
  | 'lineWidth'
  | 'measureText'
  | 'moveTo'
  | 'rect'
  | 'restore'
  | 'save'
  | 'scale'
  | 'setLineDash'
  | 'stroke'
  | 'strokeRect'
  | 'strokeStyle'
  | 'textAlign'
  | 'textBaseline'
>

/** Of a canvas, while a picture of the page is made. */
export type PenFor = (canvas: HTMLCanvasElement) => Pen

/** Whoever paints canvases hears when a picture of the page is made, and paints with the pens that it has for them. */
export function onPicture(paint: (penFor: PenFor) => void, { signal }: { readonly signal: AbortSignal }): void {
  document.addEventListener('picture', (event) => paint((event as CustomEvent<PenFor>).detail), { signal })
}

export function askForPicture(penFor: PenFor): void {
  document.dispatchEvent(new CustomEvent('picture', { detail: penFor }))
}
