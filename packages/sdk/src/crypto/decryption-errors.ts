/** Base class of all decryption errors. */
export class DecryptionError extends Error {
  override readonly name: string = 'DecryptionError'
}

/** Encrypted for another vault key, passphrase, or identity. */
export class WrongKeyError extends DecryptionError {
  override readonly name = 'WrongKeyError'
}

/** Bytes were modified, reordered, or belong to another file. */
export class ChangedBytesError extends DecryptionError {
  override readonly name = 'ChangedBytesError'
}

/** Bytes are missing. */
export class TruncatedError extends DecryptionError {
  override readonly name = 'TruncatedError'
}

/** Fields of a file record were modified or belong to another file. */
export class ChangedRecordError extends DecryptionError {
  override readonly name = 'ChangedRecordError'
}

/** A genuine file of the vault, but not the requested one: an older version or another file. */
export class ReplacedFileError extends DecryptionError {
  override readonly name = 'ReplacedFileError'
}

/** Unknown format or version. */
export class UnknownFormatError extends DecryptionError {
  override readonly name = 'UnknownFormatError'
}

/** The file is not encrypted by a client, so the service or an attacker created it. */
export class UnencryptedFileError extends DecryptionError {
  override readonly name = 'UnencryptedFileError'
}
