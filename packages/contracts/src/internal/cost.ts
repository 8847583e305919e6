/**
 * Header by which a service tells the gateway that a call cost more than one: how many requests more are taken off its
 * account, or its address (docs/api.md §5).
 */
export const costHeader = 'x-tideport-cost'
