/** What is posted to the server: a file to show, and that work is to end. Loaded when it is wanted. */
import type { Profile } from '../wire/profile'
import type { DropReply } from '../wire/wire'
import { UnreachableError, addressFor, errorOf } from './request'

/** More than a server takes: a folder of so many is one that somebody dropped by mistake. */
const MOST_FILES = 64

const FROM_THIS_PAGE = ['X-Torch-Profile-Page', '1'] as const

/** Ends the opening of a profile and what is worked out about it, for all who wait; every question about it then says so. */
export async function cancelOpening(profile: Profile): Promise<void> {
  const response = await fetch(addressFor('cancel', { ...profile }), { method: 'POST', headers: [[...FROM_THIS_PAGE]] })
  if (!response.ok) throw await errorOf(response)
}

/**
 * Sends a file to be shown; `onSent` gets the part that is sent. The server says why it does not take it.
 *
 * `beside`: the run of one that came with it, '' for the first of several: ranks of one job are one run.
 */
export function sendFile(file: File, onSent: (part: number) => void, beside?: string): Promise<DropReply> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest() // fetch does not say how much is sent
    request.open('POST', addressFor('drop', { name: file.name, beside }))
    request.setRequestHeader(...FROM_THIS_PAGE)
    request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0)
    request.onload = () => {
      if (request.status === 200) resolve(JSON.parse(request.responseText) as DropReply)
      else void errorOf(new Response(request.responseText, { status: request.status })).then(reject)
    }
    request.onerror = () => reject(new UnreachableError(`The server did not take ${file.name}: it is too large, or the server is gone.`)) // prettier-ignore
    request.send(file)
  })
}

/** The files that were dropped: those in folders and in theirs too, without hidden ones. */
export async function filesIn(entries: readonly FileSystemEntry[]): Promise<readonly File[]> {
  const found = await collect(entries)
  if (found.length === 0) throw new Error('No file is in the folder.')
  return found
}

async function collect(entries: readonly FileSystemEntry[], found: File[] = []): Promise<readonly File[]> {
  for (const entry of entries) {
    if (isFile(entry)) found.push(await new Promise<File>((resolve, reject) => entry.file(resolve, reject)))
    else {
      const reader = (entry as FileSystemDirectoryEntry).createReader()
      for (let some = [entry]; some.length > 0;) {
        some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject)) // 100 each time
        await collect(some.filter(({ name }) => !name.startsWith('.')), found) // prettier-ignore
      }
    }
    if (found.length > MOST_FILES)
      throw new Error(`More than ${MOST_FILES} files are in the folder: drop those to see.`)
  }
  return found
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}
