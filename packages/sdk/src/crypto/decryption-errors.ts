/** What was decrypted is not what was encrypted, or not with this key. Each way it can be so is a class of its own. */
export class DecryptionError extends Error {
  override readonly name: string = 'DecryptionError'
}

/** It was encrypted for somebody else: another vault key, passphrase or identity. */
export class WrongKeyError extends DecryptionError {
  override readonly name = 'WrongKeyError'
}

/** Bytes were changed, or put into another order, or are those of another file. */
export class ChangedBytesError extends DecryptionError {
  override readonly name = 'ChangedBytesError'
}

/** Bytes are missing. */
export class TruncatedError extends DecryptionError {
  override readonly name = 'TruncatedError'
}

/** The fields of a file's record are not those that were written together: one was changed, or comes from another file. */
export class ChangedRecordError extends DecryptionError {
  override readonly name = 'ChangedRecordError'
}

/** A genuine file of the vault, but not the one that was asked for: an older one, or another one. */
export class ReplacedFileError extends DecryptionError {
  override readonly name = 'ReplacedFileError'
}

/** It is of another format, or of a version that this one does not know. */
export class UnknownFormatError extends DecryptionError {
  override readonly name = 'UnknownFormatError'
}

/** No client encrypted the file: the service, or whoever took its place, made it. */
export class UnencryptedFileError extends DecryptionError {
  override readonly name = 'UnencryptedFileError'
}
