/** Hands a file to Perfetto's page, from window to window: it goes to no server. The protocol is theirs: PING until PONG, then the file. */

const PERFETTO = 'https://ui.perfetto.dev'
const EVERY_MS = 100
const PATIENCE_MS = 30_000

/** Opens their page. To be called in the click itself: browsers block what opens later. */
export function openPerfetto(): Window | null {
  return window.open(PERFETTO)
}

/** Resolves once their page has answered and the file is sent; says in words why it did not. */
export async function sendTo(page: Window, title: string, buffer: ArrayBuffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const until = performance.now() + PATIENCE_MS
    const stop = (): void => {
      clearInterval(timer)
      window.removeEventListener('message', listen)
    }
    const listen = (event: MessageEvent): void => {
      if (event.source !== page || event.origin !== PERFETTO || event.data !== 'PONG') return
      stop()
      resolve()
    }
    const timer = setInterval(() => {
      if (page.closed || performance.now() > until) {
        stop()
        reject(new Error('ui.perfetto.dev does not answer: save the file and open it there.'))
      } else page.postMessage('PING', PERFETTO)
    }, EVERY_MS)
    window.addEventListener('message', listen)
  })
  page.postMessage({ perfetto: { buffer, title } }, PERFETTO)
}
