/** Puts the page into a document. Called once, by the entry that TensorBoard imports. */
import '../base/theme.css'
import '../base/page.css'
import '../base/controls.css'
import '../base/notice.css'

import { render } from 'preact'

import { tensorboardWindow } from '../base/theme'
import { askDefinitions } from '../data/request'
import { watchRuns } from '../data/runs'
import '../state/theme'
import '../widgets/legible'
import { askWordsOf } from '../widgets/words'
import { App } from './app'
import { listenToKeys, takeKeysOf } from './keys'

export function start(document: Document): void {
  // TensorBoard's document has neither; both are what a screen reader says first. A report has its profile's name.
  if (document.title === '') document.title = 'PyTorch Profiler'
  document.documentElement.lang = 'en'
  askWordsOf(askDefinitions)
  listenToKeys()
  render(<App />, document.body)
  void watchRuns()
  takeFocus()
  takeKeysOf(tensorboardWindow())
}

/** Keys work without a click into the frame, unless somebody is at one of TensorBoard's own controls. */
function takeFocus(): void {
  const outside = tensorboardWindow()?.document
  if (outside !== undefined && outside.activeElement === outside.body) window.focus()
}
