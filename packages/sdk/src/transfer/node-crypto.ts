interface NodeCrypto {
  createHash(name: 'sha256'): { update(bytes: Uint8Array): unknown; digest(): Uint8Array }
  scrypt(
    passphrase: Uint8Array,
    salt: Uint8Array,
    bytes: number,
    cost: { N: number; r: number; p: number; maxmem: number },
    done: (error: Error | null, key: Uint8Array) => void,
  ): void
}

interface Builtins {
  getBuiltinModule?(name: 'node:crypto'): NodeCrypto | undefined
}

/** Cryptography that WebCrypto lacks. Accessed as a property, so that bundlers add no polyfill. */
export const nodeCrypto = (): NodeCrypto | undefined =>
  (globalThis as { process?: Builtins }).process?.getBuiltinModule?.('node:crypto')
