import type { Text } from '../en.ts'

export const deCheck: Text['check'] = {
  title: 'Diesen Browser prüfen',
  lead: 'Diese Prüfungen zeigen, was von diesem Browser und von der Installation aus funktioniert.',
  again: 'Erneut prüfen',
  open: 'Tresor öffnen',
  names: {
    address: 'Öffentliche Adresse',
    clock: 'Uhr',
    storage: 'Hochladen und Herunterladen',
    networks: 'Speichernetzwerke',
    webhook: 'Testzustellung',
  },
  looks: { good: 'OK', warning: 'Hinweis', bad: 'Fehlgeschlagen' },
  address: (url) => `Sie verwenden die öffentliche Adresse ${url}.`,
  otherAddress: (url, here) =>
    `Links führen zu ${url}, Sie verwenden aber ${here}. Wenn andere Personen ${url} nicht erreichen, ändern Sie PUBLIC_URL.`,
  noAddress: (here) =>
    `PUBLIC_URL ist nicht gesetzt. Setzen Sie PUBLIC_URL auf ${here}, wenn andere Personen diese Adresse verwenden.`,
  clock: 'Die Uhren dieses Geräts und des Dienstes stimmen überein.',
  noClock: 'Die Antwort hat keinen Date-Header. Die Uhren lassen sich deshalb nicht vergleichen.',
  ahead: (seconds) =>
    `Die Uhr dieses Geräts geht ${seconds} s vor der Uhr des Dienstes. Stellen Sie die falsche Uhr richtig.`,
  behind: (seconds) =>
    `Die Uhr dieses Geräts geht ${seconds} s hinter der Uhr des Dienstes. Stellen Sie die falsche Uhr richtig.`,
  noVault: 'Die Prüfung braucht einen öffentlichen Tresor. Erstellen Sie einen, und prüfen Sie erneut.',
  storage: (origin) => `Eine Testdatei wurde zu ${origin} hochgeladen, heruntergeladen und gelöscht.`,
  otherBytes: 'Der Objektspeicher hat andere Bytes geliefert. Prüfen Sie den Proxy vor dem Objektspeicher.',
  refused: (origin, code) =>
    `${origin} hat die Anfrage abgelehnt: ${code}. Ein Proxy vor dem Objektspeicher darf den Host-Header und den Pfad nicht ändern.`,
  mixed: (origin) =>
    `Diese Seite verwendet https, der Objektspeicher aber http, was Browser blockieren: ${origin}. Ändern Sie S3_PUBLIC_ENDPOINT in eine https-Adresse.`,
  cors: (origin, page) =>
    `Der Browser hat die Antwort von ${origin} blockiert. Erlauben Sie den Ursprung ${page} in der CORS-Regel des Buckets.`,
  policy: (origin) =>
    `Die Konsole darf sich nicht mit ${origin} verbinden. Fügen Sie diesen Ursprung zu CONSOLE_CONNECT_ORIGINS hinzu.`,
  unreachable: (origin) =>
    `Dieser Browser erreicht ${origin} nicht. Ändern Sie S3_PUBLIC_ENDPOINT in eine Adresse, die Browser erreichen, und prüfen Sie Port und Zertifikat.`,
  written: (networks) => `Die Testdatei wurde in ${networks} gespeichert.`,
  notWritten: (networks) =>
    `Die Testdatei ist noch nicht in ${networks} gespeichert. Manche Netzwerke brauchen Minuten. Wenn Dateien „Bereit“ bleiben, prüfen Sie die Einstellungen des Netzwerks.`,
  singleDisk:
    'Nur auf dieser Festplatte gibt es Kopien von Dateien. Wie Sie ein Netzwerk hinzufügen, steht in der Dokumentation unter „Storage networks“.',
  noNetwork: 'Es ist kein Speichernetzwerk eingerichtet. Siehe „Storage networks“ in der Dokumentation.',
  webhookTitle: 'Webhooks',
  webhookUrl: 'Adresse eines Empfängers',
  webhookHint: 'Die Installation sendet eine Testzustellung an diese Adresse.',
  send: 'Testzustellung senden',
  delivered: (status) => `Der Empfänger hat mit dem Status ${status} geantwortet.`,
  notDelivered: (reason) =>
    `Die Zustellung ist fehlgeschlagen: ${reason}. Prüfen Sie die Firewall und bei Empfängern in privaten Netzen WEBHOOK_ALLOW_CIDRS.`,
}
