/** What the service worker asks of the page that shows a private file; `end` null: as much as it likes to give. */
export interface MediaQuestion {
  fileId: string
  start: number
  end: number | null
}

export interface MediaAnswer {
  sizeBytes: number
  mimeType: string
  /** From `start` on; may be fewer than were asked for. None: there are no such. */
  bytes: Uint8Array<ArrayBuffer>
}
