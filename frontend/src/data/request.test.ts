import { afterEach, expect, test, vi } from 'vitest'

import { ApiError, UnreachableError, addressFor, getJson, pollJson } from './request'
import type { Waiting } from './request'

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
  const waiting = (progress: number): Waiting => ({ state: 'loading', progress, stage: 'reading' })
  replies([202, waiting(0.1)], [202, waiting(0.9)], [200, { result: 7 }])
  const seen: number[] = []
  const value = await pollJson('view/overview', {}, { everyMs: 1, onWaiting: ({ progress }) => seen.push(progress) })
  expect(value).toEqual({ result: 7 })
  expect(seen).toEqual([0.1, 0.9])
})

test('nobody asks on for an answer that is no longer wanted', async () => {
  replies([202, { state: 'queued', progress: 0, stage: '' }], [200, {}])
  const stop = new AbortController()
  const asked = pollJson('view/overview', {}, { everyMs: 1, signal: stop.signal, onWaiting: () => stop.abort() })
  await expect(asked).rejects.toThrow('aborted')
})

test('an error of the server keeps its kind and its sentence', async () => {
  replies([422, { error: { kind: 'FormatError', message: 'x.json: not a profile' } }])
  const error = await getJson('view/overview').catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 422, kind: 'FormatError', message: 'x.json: not a profile' })
})

test('no answer, and a gateway without its server, are a server that is gone', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  await expect(getJson('runs')).rejects.toBeInstanceOf(UnreachableError)
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('<html>Bad gateway', { status: 502 })))
  await expect(getJson('runs')).rejects.toBeInstanceOf(UnreachableError)
})
