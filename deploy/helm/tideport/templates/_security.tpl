{{/* What every pod has, Jobs and tests too. Takes root, name, and pod: podSecurityContext, priorityClassName, nodeSelector... */}}
{{- define "tideport.podBase" -}}
automountServiceAccountToken: false
# A Service called `files` would set FILES_PORT=tcp://… in every pod.
enableServiceLinks: false
securityContext:
  {{- toYaml .pod.podSecurityContext | nindent 2 }}
{{- with .root.Values.global.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ kindIs "map" . | ternary (get . "name") . }}
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
{{- end }}

{{/* The volumes that the environments of _env.tpl point into. Takes root and needs. */}}
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
    secretName: {{ .root.Values.nats.existingSecret }}
    items: [{key: {{ .root.Values.nats.credsKey }}, path: nats.creds}]
{{- end }}
{{- if has "volume" .needs }}
{{- range include "tideport.networks" .root | fromJsonArray }}
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
{{- range include "tideport.networks" .root | fromJsonArray }}
- {name: {{ .volume }}, mountPath: {{ .mount }}}
{{- end }}
{{- end }}
{{- end }}
