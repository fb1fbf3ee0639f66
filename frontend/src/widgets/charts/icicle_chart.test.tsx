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

test('a block says its name, or how it begins or ends, or nothing: never a number of ours', () => {
  const host = document.createElement('div')
  render(
    <Icicle
      nodes={nodesOf({ parent: WIDTHS.map(() => -1), total: WIDTHS, own: WIDTHS })}
      name={(id = -1) => NAMES[id] ?? 'all'}
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
  const labels = NAMES.map((_, id) => host.querySelector(`[data-id="${id}"] text`)?.textContent ?? '')
  expect(labels).toEqual([
    'train.py(12): step  1 ms',
    'aten::native_batch_norm  1 ms',
    'native_lay…',
    'native_gro…',
    '',
    'net.py(7): forward',
  ])
})
