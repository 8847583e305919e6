import type { FileRecord } from '@tideport/sdk'
import type { EncryptionFields } from '@tideport/sdk/crypto'

/** What a page asks of the worker that holds the keys of private vaults. No answer holds a key that is not sealed. */
export interface PrivateCalls {
  /** Makes a key, and keeps it open; its age file. */
  create(input: { vaultId: string; passphrase: string }): string
  /** Opens an age file. `proof`: an encrypted file of the vault, which the key has to open. */
  open(input: { vaultId: string; ageFile: string; by: Opener; proof: FileRecord | null }): null
  /** The same key, for others. */
  seal(input: { vaultId: string; recipient: string }): string
  /** Begins to encrypt a file; its bytes are asked for by `encrypted`. */
  encrypt(input: { vaultId: string; file: File }): { id: number; size: number; fields: EncryptionFields }
  encrypted(input: { id: number; start: number; end: number }): Uint8Array<ArrayBuffer>
  forget(input: { id: number }): null
  /** The plaintext between two places, from a URL that answers ranges of the encrypted bytes. */
  read(input: { file: FileRecord; url: string; start: number; end: number }): Uint8Array<ArrayBuffer>
}

/** A passphrase, or an identity of age. */
export type Opener = { passphrase: string } | { identity: string }

export type Method = keyof PrivateCalls
export type Input<M extends Method> = Parameters<PrivateCalls[M]>[0]
export type Output<M extends Method> = ReturnType<PrivateCalls[M]>

export interface Request {
  number: number
  method: Method
  input: unknown
}

export type Answer = { number: number } & ({ output: unknown } | { failure: Failure; message: string })

/** `decryption`: another key, or bytes that were changed; `storage`: no bytes came. */
export type Failure = 'decryption' | 'storage' | 'other'
