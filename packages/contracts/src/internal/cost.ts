/** A service reports to the gateway how many more requests a call costs (docs/api.md §5). */
export const costHeader = 'x-tideport-cost'
