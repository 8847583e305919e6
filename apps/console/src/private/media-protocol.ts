/** A request of the service worker to the page; `end` null: any length. */
export interface MediaQuestion {
  fileId: string
  start: number
  end: number | null
}

export interface MediaAnswer {
  sizeBytes: number
  mimeType: string
  /** From `start`, possibly fewer than requested; empty: not satisfiable. */
  bytes: Uint8Array<ArrayBuffer>
}
