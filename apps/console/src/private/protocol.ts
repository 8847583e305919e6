import type { FileRecord } from '@tideport/sdk'
import type { EncryptionFields, PrfValues } from '@tideport/sdk/crypto'

/** The calls of the worker that holds the keys of private vaults. No response contains an unsealed key. */
export interface PrivateCalls {
  /** Creates a key and keeps it open. */
  create(input: { vaultId: string; passphrase: string }): { ageFile: string; keyId: string }
  /** Opens an age file, and keeps its key if it belongs to the vault. Returns the key's id. */
  open(input: { vaultId: string; ageFile: string; by: Opener; proof: Proof }): { keyId: string }
  /** The same key, sealed for another recipient or a passkey. */
  seal(input: { vaultId: string; to: Sealing }): string
  close(input: { vaultId: string }): null
  /** Begins to encrypt a file, or continues by an upload's token. `encrypted` returns its bytes. */
  encrypt(input: { vaultId: string; file: File; token: string | undefined }): {
    id: number
    size: number
    fields: EncryptionFields
  }
  encrypted(input: { id: number; start: number; end: number }): Uint8Array<ArrayBuffer>
  forget(input: { id: number }): null
  /** Plaintext between two offsets. `url` must return the encrypted bytes for range requests. */
  read(input: { file: FileRecord; url: string; start: number; end: number }): Uint8Array<ArrayBuffer>
}

/** A key id, or an encrypted file that the key must open; null: nothing was encrypted. */
export type Proof = { keyId: string } | { file: FileRecord } | null

/** The port takes `PrfValues` and returns a `PasskeyAnswer`. */
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

/** `decryption`: wrong key or changed bytes. `storage`: no bytes received. `declined`, `no_prf`: from a passkey. */
export type Failure = 'decryption' | 'storage' | 'other' | 'declined' | 'no_prf'
