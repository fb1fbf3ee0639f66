import { expect, test } from 'vitest'

import { Drawing } from './drawing'

const PLACE = { x: 1, y: 2, width: 30, height: 40 }
const MEASURE = { font: '', measureText: (text: string) => ({ width: 6 * text.length }) }

function drawn(paint: (pen: Drawing) => void): readonly Element[] {
  const drawing = new Drawing(MEASURE as unknown as CanvasRenderingContext2D)
  paint(drawing)
  return [...drawing.end(PLACE).children]
}

function attributes(element: Element | undefined, ...names: readonly string[]): readonly (string | null)[] {
  return names.map((name) => element?.getAttribute(name) ?? null)
}

test('rectangles that follow each other in one colour are one path; another colour or strength begins the next', () => {
  const shapes = drawn((pen) => {
    pen.fillStyle = '#ff0000'
    pen.fillRect(0, 0, 10, 5)
    pen.fillRect(12, 0, 3, 5)
    pen.globalAlpha = 0.5
    pen.fillRect(20, 0, 3, 5)
    pen.fillStyle = '#00ff00'
    pen.fillRect(30, 0, 3, 5)
  })
  expect(shapes.map((shape) => attributes(shape, 'd', 'fill', 'fill-opacity'))).toEqual([
    ['M0 0h10v5h-10zM12 0h3v5h-3z', '#ff0000', null],
    ['M20 0h3v5h-3z', '#ff0000', '0.5'],
    ['M30 0h3v5h-3z', '#00ff00', '0.5'],
  ])
})

test('pixels of a screen are pixels of the page, and what was before is there again', () => {
  const [small, whole] = drawn((pen) => {
    pen.fillStyle = '#000000'
    pen.save()
    pen.scale(0.5)
    pen.fillStyle = '#ffffff'
    pen.fillRect(3, 4, 100, 20)
    pen.restore()
    pen.fillRect(3, 4, 100, 20)
  })
  expect(attributes(small, 'd', 'fill')).toEqual(['M1.5 2h50v10h-50z', '#ffffff'])
  expect(attributes(whole, 'd', 'fill')).toEqual(['M3 4h100v20h-100z', '#000000'])
})

test('text is text, where and as large as it is on the canvas', () => {
  const [text] = drawn((pen) => {
    pen.font = 'bold 10px Mono, serif'
    pen.textBaseline = 'middle'
    pen.textAlign = 'right'
    pen.fillStyle = '#123456'
    pen.fillText('aten::<mm>', 5, 20)
    expect(pen.measureText('abc').width).toBe(18)
  })
  expect(text?.textContent).toBe('aten::<mm>')
  expect(attributes(text, 'x', 'y', 'font-size', 'font-family', 'font-weight', 'text-anchor', 'fill')).toEqual([
    ...['5', '23.5', '10', 'Mono, serif', 'bold', 'end', '#123456'],
  ])
})

test('lines, dashes, curves and circles', () => {
  const shapes = drawn((pen) => {
    pen.strokeStyle = pen.fillStyle = '#111111'
    pen.lineWidth = 1.5
    pen.setLineDash([5, 3])
    pen.beginPath()
    pen.lineTo(0, 0)
    pen.lineTo(4, 0)
    pen.stroke()
    pen.setLineDash([])
    pen.beginPath()
    pen.moveTo(0, 0)
    pen.bezierCurveTo(1, 2, 3, 4, 5, 6)
    pen.stroke()
    pen.strokeRect(0.5, 0.5, 9, 9)
    pen.beginPath()
    pen.arc(10, 10, 4)
    pen.fill()
  })
  expect(shapes.map((shape) => attributes(shape, 'd', 'fill', 'stroke', 'stroke-dasharray'))).toEqual([
    ['M0 0L4 0', 'none', '#111111', '5 3'],
    ['M0 0C1 2 3 4 5 6', 'none', '#111111', null],
    ['M0.5 0.5h9v9h-9z', 'none', '#111111', null],
    ['M6 10a4 4 0 1 1 8 0a4 4 0 1 1 -8 0z', '#111111', null, null],
  ])
})

test('what is painted beneath lies beneath; what is cut is cut until what was before is there again', () => {
  const shapes = drawn((pen) => {
    pen.fillStyle = '#aaaaaa'
    pen.fillRect(0, 0, 1, 1)
    pen.globalCompositeOperation = 'destination-over'
    pen.fillStyle = '#bbbbbb'
    pen.fillRect(0, 0, 2, 2)
    pen.globalCompositeOperation = 'source-over'
    pen.save()
    pen.beginPath()
    pen.rect(0, 0, 3, 3)
    pen.clip()
    pen.fillRect(0, 0, 4, 4)
    pen.restore()
    pen.fillRect(0, 0, 5, 5)
  })
  expect(shapes.map((shape) => shape.tagName)).toEqual(['path', 'path', 'clipPath', 'g', 'path'])
  expect(attributes(shapes[0], 'd', 'fill')).toEqual(['M0 0h2v2h-2z', '#bbbbbb'])
  expect(shapes[3]?.getAttribute('clip-path')).toBe(`url(#${shapes[2]?.id})`)
  expect(shapes[3]?.firstElementChild?.getAttribute('d')).toBe('M0 0h4v4h-4z')
  expect(attributes(shapes[4], 'd')).toEqual(['M0 0h5v5h-5z'])
})
