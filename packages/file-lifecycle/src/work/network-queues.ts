import { type ConsumerDefinition, networkConsumers } from '@tideport/contracts/internal/streams'

/** The queues that networks of these names have; they are made beside those that every installation has. */
export function networkQueues(names: readonly string[]): ConsumerDefinition[] {
  return names.flatMap((name) => Object.values(networkConsumers(name)))
}
