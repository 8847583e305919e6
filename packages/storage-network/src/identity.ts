/** Which network this is, for drivers that find it by what lies somewhere. */
export interface NetworkIdentity {
  /** The network's name within the installation. */
  network: string
  /** The installation's id. What it throws passes through. */
  installationId: () => Promise<string>
}
