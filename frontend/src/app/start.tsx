/** Puts the page into a document. Called once, by the entry that TensorBoard imports. */
import '../base/theme.css'
import './app.css'
import '../widgets/widgets.css'

import { render } from 'preact'

import { watchRuns } from '../data/runs'
import '../state/theme'
import { App } from './app'
import { isHelpOpen } from './help_state'
import { listenToKeys } from './keys'

export function start(document: Document): void {
  // TensorBoard's document has neither; both are what a screen reader says first.
  document.title = 'PyTorch Profiler'
  document.documentElement.lang = 'en'
  listenToKeys(() => {
    isHelpOpen.value = true
  })
  render(<App />, document.body)
  void watchRuns()
}
