{{/* The common part of every pod, also of Jobs and tests. Takes root and pod: podSecurityContext, priorityClassName, nodeSelector, dnsPolicy… */}}
{{- define "tideport.podBase" -}}
automountServiceAccountToken: false
# Otherwise a Service called `files` would set FILES_PORT=tcp://… in every pod.
enableServiceLinks: false
securityContext:
  {{- toYaml .pod.podSecurityContext | nindent 2 }}
{{- with .root.Values.global.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ if kindIs "map" . }}{{ .name }}{{ else }}{{ . }}{{ end }}
  {{- end }}
{{- end }}
{{- with .pod.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .pod.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- with .pod.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/*
A pod's own annotations, and a checksum of the Secret keys that it reads, if the chart can read these Secrets: those of extraObjects,
and with `secretChecksums` those of the cluster. Takes root, name, values (merged), needs, and env (YAML).
*/}}
{{- define "tideport.podAnnotations" -}}
{{- with .values.podAnnotations }}{{ toYaml . }}{{ end }}
{{- $root := .root }}
{{- $used := dict }}
{{- range fromYamlArray .env }}
{{- with dig "valueFrom" "secretKeyRef" dict . }}{{ $_ := set $used .name (append (default list (get $used .name)) .key) }}{{ end }}
{{- end }}
{{- range concat (include "tideport.volumes" . | fromYamlArray) (default list .values.extraVolumes) }}
{{- with .secret }}
{{- $keys := list }}{{- range .items }}{{ $keys = append $keys .key }}{{ end }}
{{- $_ := set $used .secretName (concat (default list (get $used .secretName)) (default (list "*") $keys)) }}
{{- end }}
{{- end }}
{{- range .values.extraEnvFrom }}{{ with .secretRef }}{{ $_ := set $used .name (list "*") }}{{ end }}{{ end }}
{{- $held := dict }}
{{- range $root.Values.extraObjects }}
{{- $object := tpl (ternary . (toYaml .) (kindIs "string" .)) $root | fromYaml }}
{{- if eq (toString $object.kind) "Secret" }}{{ $_ := set $held $object.metadata.name (merge dict (default dict $object.stringData) (default dict $object.data)) }}{{ end }}
{{- end }}
{{- $seen := list }}
{{- range $name := keys $used | sortAlpha }}
{{- $data := default dict (get $held $name) }}
{{- if and (not $data) $root.Values.secretChecksums }}{{ with lookup "v1" "Secret" $root.Release.Namespace $name }}{{ $data = .data }}{{ end }}{{ end }}
{{- $keys := get $used $name }}
{{- range $key, $value := $data }}{{ if or (has "*" $keys) (has $key $keys) }}{{ $seen = append $seen (list $name $key $value | toJson) }}{{ end }}{{ end }}
{{- end }}
{{- with $seen }}
checksum/secrets: {{ join "\n" . | sha256sum }}
{{- end }}
{{- end }}

{{/* The volumes to which variables of _env.tpl refer. Takes root, name, and needs. */}}
{{- define "tideport.volumes" -}}
- name: tmp
  emptyDir: {}
{{- if .root.Values.tls.caSecret }}
- name: ca
  secret:
    secretName: {{ .root.Values.tls.caSecret }}
    items: [{key: {{ .root.Values.tls.caKey }}, path: ca.crt}]
{{- end }}
{{- if and (has "nats" .needs) .root.Values.nats.credsKey }}
- name: nats
  secret:
    secretName: {{ include "tideport.natsSecret" . }}
    items: [{key: {{ .root.Values.nats.credsKey }}, path: nats.creds}]
{{- end }}
{{- if has "volume" .needs }}
{{- range include "tideport.volumeNetworks" .root | fromJsonArray }}
- name: {{ .volume }}
  persistentVolumeClaim:
    claimName: {{ .claim }}
{{- end }}
{{- end }}
{{- end }}

{{- define "tideport.volumeMounts" -}}
- {name: tmp, mountPath: /tmp}
{{- if .root.Values.tls.caSecret }}
- {name: ca, mountPath: /etc/tideport/ca, readOnly: true}
{{- end }}
{{- if and (has "nats" .needs) .root.Values.nats.credsKey }}
- {name: nats, mountPath: /etc/tideport/nats, readOnly: true}
{{- end }}
{{- if has "volume" .needs }}
{{- range include "tideport.volumeNetworks" .root | fromJsonArray }}
- {name: {{ .volume }}, mountPath: {{ .mount }}}
{{- end }}
{{- end }}
{{- end }}
