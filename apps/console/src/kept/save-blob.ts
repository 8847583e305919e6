/** Hands a file to the browser's downloads. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Chromium may read the URL some time after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
