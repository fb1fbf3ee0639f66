/** Hands a text, or bytes, to the browser's downloads. */
export function download(name: string, type: string, content: BlobPart): void {
  const address = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download has its own hold on the blob once the click is handled.
  setTimeout(() => URL.revokeObjectURL(address), 1000)
}

/** A file name of the parts, with what file systems refuse replaced. */
export function fileName(parts: readonly string[], ending: string): string {
  return `${parts.join('_').replace(/[^\w.-]+/g, '_')}.${ending}`
}
