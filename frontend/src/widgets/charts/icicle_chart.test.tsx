import { render } from 'preact'
import { expect, test } from 'vitest'

import { Icicle } from './icicle_chart'
import { nodesOf } from './icicle'

const NAMES = [
  'train.py(12): step',
  ...['batch', 'layer', 'group', 'instance'].map((word) => `aten::native_${word}_norm`),
  'models/a_long_folder/net.py(7): forward',
]
const WIDTHS = [200, 200, 60, 60, 20, 100] // of the whole, which is drawn over 1100 px

function labelsOf(names: readonly string[], widths: readonly number[]): readonly string[] {
  const host = document.createElement('div')
  render(
    <Icicle
      nodes={nodesOf({ parent: widths.map(() => -1), total: widths, own: widths })}
      name={(id = -1) => names[id] ?? 'all'}
      short={() => '1 ms'}
      describe={() => ''}
      fill={() => ''}
      label=""
      zoom={-1}
      selected={-1}
      onChoose={() => undefined}
    />,
    host,
  )
  return names.map((_, id) => host.querySelector(`[data-id="${id}"] text`)?.textContent ?? '')
}

test('a block says its name, or how it begins or ends, or nothing: never a number of ours', () => {
  expect(labelsOf(NAMES, WIDTHS)).toEqual([
    'train.py(12): step  1 ms',
    'aten::native_batch_norm  1 ms',
    'native_lay…',
    'native_gro…',
    '',
    'net.py(7): forward',
  ])
})

test('a module spends its width on its own name, as a function does', () => {
  const names = ['Qwen2DecoderLayer_5', 'Qwen2DecoderLayer_6', 'Qwen2RMSNorm_11'].map((name) => `nn.Module: ${name}`)
  expect(labelsOf(names, [395, 90, 75])).toEqual([
    'nn.Module: Qwen2DecoderLayer_5  1 ms',
    'Qwen2DecoderLayer_6',
    'Qwen2RMSNorm_11',
  ])
})

/** `all` over `a` and `b`, `c` below `a`. */
const TREE = nodesOf({ parent: [-1, -1, 0], total: [60, 40, 30], own: [30, 40, 30] })

function shown(zoom: number, onChoose: (id: number) => void, isFlame = false): HTMLElement {
  const host = document.body
  render(
    <Icicle
      nodes={TREE}
      name={(id = -1) => ['a', 'b', 'c'][id] ?? 'all'}
      short={() => ''}
      describe={({ id = -1 }) => ['a', 'b', 'c'][id] ?? 'all'}
      fill={() => ''}
      label=""
      zoom={zoom}
      selected={zoom}
      isFlame={isFlame}
      onChoose={onChoose}
    />,
    host,
  )
  return host
}

function press(key: string): void {
  document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
}

const focused = (): string | null | undefined => document.activeElement?.getAttribute('data-id')

test.each([false, true])('one block is a stop of Tab, and arrows lead to the others; flame: %s', (isFlame) => {
  const host = shown(-1, () => undefined, isFlame)
  const stops = [...host.querySelectorAll<SVGElement>('[tabindex="0"]')]
  expect(stops.map((each) => each.getAttribute('data-id'))).toEqual(['-1'])
  stops[0]?.focus()
  const [inwards, outwards] = isFlame ? ['ArrowUp', 'ArrowDown'] : ['ArrowDown', 'ArrowUp']
  const way = [inwards, 'ArrowRight', 'ArrowRight', 'ArrowLeft', inwards, outwards, outwards].map((key) => {
    press(key)
    return focused()
  })
  expect(way).toEqual(['0', '1', '1', '0', '2', '0', '-1'])
})

test('Enter on a block does what a click does, and a second Enter what the second click does', () => {
  const chosen: number[] = []
  const zoomTo = (id: number): void => {
    chosen.push(id)
    shown(id, zoomTo)
  }
  const host = shown(-1, zoomTo)
  host.querySelector<SVGElement>('[data-id="0"]')?.focus()
  press('Enter')
  expect(focused()).toBe('0')
  press('Enter')
  expect(chosen).toEqual([0, 0])
})
