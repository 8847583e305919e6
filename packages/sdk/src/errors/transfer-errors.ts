/** No answer came: the connection failed, or the browser refused to tell (CORS). `cause` is what the platform said. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
}

/** Object storage refused bytes, or a read of them. Its message never holds the URL, which is a secret. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly status: number

  constructor(doing: string, status: number) {
    super(`${doing} failed: the storage returned status ${status}`)
    this.status = status
  }
}

/** The bytes that came are not those that were stored: what was read of them is not to be used. */
export class ChecksumError extends Error {
  override readonly name = 'ChecksumError'
}

/**
 * What answered does not keep to the API: an answer without an end, a list that goes round in circles, a URL that leads
 * off the web. It is not asked again.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

/** The source is not the one that the upload was begun with, or changed meanwhile. */
export class SourceChangedError extends Error {
  override readonly name = 'SourceChangedError'
}

/** A file that was waited for went to `error`; `message` and `errorCode` say why, as the service does. */
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
