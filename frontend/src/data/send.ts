/** Sends a file to the server. Loaded when there is one. */
import type { DropReply } from '../wire/wire'
import { UnreachableError, addressFor, errorOf } from './request'

/** Sends a file to be shown; `onSent` gets the part that is sent. The server says why it does not take it. */
export function sendFile(file: File, onSent: (part: number) => void): Promise<DropReply> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest() // fetch does not say how much is sent
    request.open('POST', addressFor('drop', { name: file.name }))
    request.setRequestHeader('X-Torch-Profile-Drop', '1')
    request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0)
    request.onload = () => {
      if (request.status === 200) resolve(JSON.parse(request.responseText) as DropReply)
      else void errorOf(new Response(request.responseText, { status: request.status })).then(reject)
    }
    request.onerror = () => reject(new UnreachableError(`The server did not take ${file.name}: it is too large, or the server is gone.`)) // prettier-ignore
    request.send(file)
  })
}
