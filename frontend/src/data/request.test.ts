import { afterEach, expect, test, vi } from 'vitest'

import type { WaitReply } from '../wire/wire'
import { ask } from './ask'
import { ApiError, SignedOutError, UnreachableError, addressFor, askRuns, whenLost } from './request'

const PROFILE = { run: 'r', worker: 'w', span: '1' }

function replies(...list: (readonly [number, unknown])[]): void {
  const left = [...list]
  vi.stubGlobal('fetch', () => {
    const [status, body] = left.shift() ?? [500, {}]
    return Promise.resolve(new Response(JSON.stringify(body), { status }))
  })
}

afterEach(() => {
  vi.unstubAllGlobals()
})

test('addresses are relative to the page, whatever prefix it lives under', () => {
  const base = document.createElement('base')
  base.href = 'http://host/a/b/data/plugin/torch_profile/'
  document.head.append(base)
  expect(addressFor('view/kernels', { run: 'a/b c', span: undefined })).toBe(
    'http://host/a/b/data/plugin/torch_profile/api/v1/view/kernels?run=a%2Fb+c',
  )
  base.remove()
})

test('a profile that loads is asked for until it is there, and each answer tells how far it is', async () => {
  const waiting = (progress: number): WaitReply => ({
    state: 'loading',
    progress,
    stage: 'reading',
    seconds_left: null,
    so_far: null,
  })
  replies([202, waiting(0.1)], [202, waiting(0.9)], [200, { result: 7 }])
  const seen: number[] = []
  const value = await ask(
    'view/overview',
    PROFILE,
    {},
    { everyMs: 1, onWaiting: ({ progress }) => seen.push(progress) },
  )
  expect(value).toEqual({ result: 7 })
  expect(seen).toEqual([0.1, 0.9])
})

test('the server is asked to wait for what was not there at once', async () => {
  replies([202, {}], [202, {}], [200, { result: 7 }])
  const fetched = vi.spyOn(globalThis, 'fetch')
  await ask('view/overview', PROFILE, {}, { everyMs: 1 })
  const preferred = fetched.mock.calls.map(([, options]) => new Headers(options?.headers).get('Prefer'))
  expect(preferred).toEqual([null, 'wait=1', 'wait=1'])
})

test('nobody asks on for an answer that is no longer wanted', async () => {
  replies([202, { state: 'queued', progress: 0, stage: '' }], [200, {}])
  const stop = new AbortController()
  const asked = ask('view/overview', PROFILE, {}, { everyMs: 1, signal: stop.signal, onWaiting: () => stop.abort() })
  await expect(asked).rejects.toThrow('aborted')
})

test('an error of the server keeps its kind and its sentence', async () => {
  replies([422, { error: { kind: 'FormatError', message: 'x.json: not a profile' } }])
  const error = await ask('view/overview', PROFILE, {}).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 422, kind: 'FormatError', message: 'x.json: not a profile' })
})

test('no answer, and a gateway without its server, are a server that is gone', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  await expect(askRuns()).rejects.toBeInstanceOf(UnreachableError)
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('<html>Bad gateway', { status: 502 })))
  await expect(askRuns()).rejects.toBeInstanceOf(UnreachableError)
})

test('the page of a proxy whose login ran out is no answer, however it comes', async () => {
  const html = { headers: { 'Content-Type': 'text/html; charset=utf-8' } }
  const redirect = { type: 'opaqueredirect', ok: false, status: 0 } as Response
  for (const response of [
    new Response('<form>', { ...html, status: 200 }),
    new Response('<form>', { ...html, status: 401 }),
    new Response('Forbidden', { status: 403 }),
    redirect,
  ]) {
    vi.stubGlobal('fetch', () => Promise.resolve(response))
    await expect(askRuns()).rejects.toBeInstanceOf(SignedOutError)
  }
  replies([403, { error: { kind: 'NotAllowedError', message: 'this server does not answer to the name' } }])
  await expect(askRuns()).rejects.toBeInstanceOf(ApiError)
})

test('whoever watches the server hears at once that a question had no answer', async () => {
  const heard = vi.fn()
  whenLost(heard)
  replies([404, { error: { kind: 'Unknown', message: 'no such thing' } }])
  await expect(ask('view/overview', PROFILE, {})).rejects.toThrow(ApiError)
  expect(heard).not.toHaveBeenCalled()
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('refused')))
  await expect(ask('view/overview', PROFILE, {})).rejects.toThrow(UnreachableError)
  expect(heard).toHaveBeenCalledOnce()
})
