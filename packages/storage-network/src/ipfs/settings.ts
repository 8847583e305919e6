import type { RpcAddress } from './rpc.ts'

export interface IpfsSettings extends Pick<RpcAddress, 'token'> {
  /** RPC of the node. Further nodes only serve bytes while the first one is unavailable. */
  urls: [string, ...string[]]
  /** The directory of the node's MFS for this network only, such as `/tideport`. */
  directory: string
  /** Longer than any garbage collection of the node, because every write to its MFS waits for a running one. */
  collectionSeconds: number
}
