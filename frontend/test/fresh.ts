/** Before each file: modules, document and address are its own, in the one window that all files of a process share. */
import { vi } from 'vitest'

vi.resetModules()
vi.unstubAllGlobals()
vi.useRealTimers()
document.head.replaceChildren()
document.body.replaceChildren()
localStorage.clear()
sessionStorage.clear()
history.replaceState(null, '', '/')
