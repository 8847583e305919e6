/** No response: the connection failed, or CORS blocked it. `cause` is the platform's error. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
}

/** Object storage rejected an upload or a read. The message never contains the URL, which is a secret. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly status: number

  constructor(doing: string, status: number) {
    super(`${doing} failed: the storage returned status ${status}`)
    this.status = status
  }
}

/** The received bytes do not match the stored file. Discard them. */
export class ChecksumError extends Error {
  override readonly name = 'ChecksumError'
}

/**
 * The response violates the API, for example an endless response, a repeated cursor, or a URL that is not http or
 * https. Not retried.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

/** The source differs from the one that started the upload, or it changed. */
export class SourceChangedError extends Error {
  override readonly name = 'SourceChangedError'
}

/** The awaited file reached `error`; `message` and `errorCode` state the reason. */
export class FileFailedError extends Error {
  override readonly name = 'FileFailedError'
  readonly fileId: string
  readonly errorCode: string | null

  constructor(file: { id: string; error: string | null; errorCode: string | null }) {
    super(file.error ?? 'The file failed permanently')
    this.fileId = file.id
    this.errorCode = file.errorCode
  }
}
