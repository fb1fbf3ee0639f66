/** The one file TensorBoard imports by name. Tiny, because it is served without caching; the page itself is hashed chunks. */
import { paintTheme } from './base/theme'

export async function render(): Promise<void> {
  paintTheme()
  const { start } = await import('./app/start')
  start(document)
}
