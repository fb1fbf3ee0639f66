/** The theme as a signal, for what CSS variables do not reach: canvases read it and draw again. */
import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'

import { currentTheme, watchTheme } from '../base/theme'
import type { Theme } from '../base/theme'

const current = signal<Theme>(currentTheme())
watchTheme((now) => {
  current.value = now
})

export const theme: ReadonlySignal<Theme> = current
