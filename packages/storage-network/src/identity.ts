/** Which network this is, for drivers that find it by what lies somewhere. */
export interface NetworkIdentity {
  /** The network's name within the installation: 1 to 32 of `a` to `z`, digits, `-`. */
  name: string
  /** The installation's id. What it throws passes through. */
  installationId: () => Promise<string>
}
