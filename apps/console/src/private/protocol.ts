import type { FileRecord } from '@tideport/sdk'
import type { EncryptionFields, PrfValues } from '@tideport/sdk/crypto'

/** What a page asks of the worker that holds the keys of private vaults. No answer holds a key that is not sealed. */
export interface PrivateCalls {
  /** Makes a key, and keeps it open. */
  create(input: { vaultId: string; passphrase: string }): { ageFile: string; keyId: string }
  /** Opens an age file, and keeps its key if it is that of the vault; the key's id. */
  open(input: { vaultId: string; ageFile: string; by: Opener; proof: Proof }): { keyId: string }
  /** The same key, for others or for a passkey. */
  seal(input: { vaultId: string; to: Sealing }): string
  /** Forgets one key. */
  close(input: { vaultId: string }): null
  /** Begins to encrypt a file, or goes on as an upload's token says; its bytes are asked for by `encrypted`. */
  encrypt(input: { vaultId: string; file: File; token: string | undefined }): {
    id: number
    size: number
    fields: EncryptionFields
  }
  encrypted(input: { id: number; start: number; end: number }): Uint8Array<ArrayBuffer>
  forget(input: { id: number }): null
  /** The plaintext between two places, from a URL that answers ranges of the encrypted bytes. */
  read(input: { file: FileRecord; url: string; start: number; end: number }): Uint8Array<ArrayBuffer>
}

/** What tells that a key is the vault's: its id, or an encrypted file that it has to open; null: nothing was encrypted. */
export type Proof = { keyId: string } | { file: FileRecord } | null

/** A passphrase, an identity of age, or where a passkey is asked: the answer to `PrfValues` is a `PasskeyAnswer`. */
export type Opener = { passphrase: string } | { identity: string } | { passkey: MessagePort }
export type Sealing = { recipient: string } | { passkey: MessagePort }
export type PasskeyAnswer = PrfValues | { reason: 'declined' | 'no_prf' }

export type Method = keyof PrivateCalls
export type Input<M extends Method> = Parameters<PrivateCalls[M]>[0]
export type Output<M extends Method> = ReturnType<PrivateCalls[M]>

export interface Request {
  number: number
  method: Method
  input: unknown
}

export type Answer = { number: number } & ({ output: unknown } | { failure: Failure; message: string })

/** `decryption`: another key, or bytes that were changed; `storage`: no bytes came; the last two: of a passkey. */
export type Failure = 'decryption' | 'storage' | 'other' | 'declined' | 'no_prf'
