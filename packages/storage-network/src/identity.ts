export interface NetworkIdentity {
  /** The network's name within the installation: 1 to 32 of `a` to `z`, digits, `-`. */
  name: string
  installationId: () => Promise<string>
}
