/** Header by which the gateway tells a service the address of the client, whatever that says of itself. */
export const clientAddressHeader = 'x-tideport-client-address'
