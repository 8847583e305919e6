{{/* Networks: names, resources that two networks must not share, and the number of copies. */}}
{{- define "tideport.faults.storage" -}}
{{- $values := .Values }}
{{- $faults := list }}
{{- range $index, $network := $values.storage.networks }}
{{- include "tideport.faults.network" (dict "network" $network "path" (printf "storage.networks[%d]" $index)) }}
{{- if not (include "tideport.hasOwnBlock" $network) }}{{ $faults = append $faults $index }}{{ end }}
{{- end }}
{{- if not $faults }}
{{- include "tideport.faults.sharedNetworks" . }}
{{- $required := list }}
{{- range include "tideport.networks" . | fromJsonArray }}{{ if eq .role "required" }}{{ $required = append $required .driver }}{{ end }}{{ end }}
{{- if not $required }}
storage.networks: every network has the role leaving, so no file could be stored. Give one the role required.
{{- else if and (eq (len $required) 1) (has "embedded" $required) (ne $values.config.serviceEnv "development") (not $values.storage.embedded.acceptSingleCopy) }}
storage.embedded.acceptSingleCopy: one volume is one copy of each cold file. Add a second network to storage.networks, or set this to true and back up the volume.
{{- end }}
{{- end }}
{{- $claim := $values.storage.embedded.existingClaim }}
{{- if and $values.storage.networks $claim }}
{{- $claims := list }}
{{- range $values.storage.networks }}{{ $claims = append $claims .existingClaim }}{{ end }}
{{- if not (has $claim $claims) }}
storage.embedded.existingClaim: storage.networks replaces storage.embedded, so the copies on {{ $claim }} would be unreachable. Set existingClaim of a network to {{ $claim }}, or remove it here.
{{- end }}
{{- end }}
{{- end }}

{{/* Whether a network has the values that its driver needs. */}}
{{- define "tideport.hasOwnBlock" -}}
{{- $driver := default "embedded" .driver }}
{{- if or (eq $driver "embedded") (hasKey . $driver) }}true{{ end }}
{{- end }}

{{/* One network. Takes network and path. */}}
{{- define "tideport.faults.network" -}}
{{- $network := .network }}{{ $path := .path }}
{{- $driver := default "embedded" $network.driver }}
{{- range $block := list "s3" "ipfs" "walrus" }}
{{- if and (eq $driver $block) (not (hasKey $network $block)) }}
{{ $path }}.{{ $block }}: must not be missing. A network with the driver {{ $block }} needs it.
{{- else if and (ne $driver $block) (hasKey $network $block) }}
{{ $path }}.{{ $block }}: the driver of this network is {{ $driver }}. Set driver to {{ $block }}, or remove this.
{{- end }}
{{- end }}
{{- if ne $driver "embedded" }}
{{- range $name := list "existingClaim" "storageClass" "size" "accessModes" "reserveBytes" }}
{{- if get $network $name }}
{{ $path }}.{{ $name }}: a network with the driver {{ $driver }} has no volume. Remove this, or set driver to embedded.
{{- end }}
{{- end }}
{{- end }}
{{- with $network.s3 }}{{ include "tideport.faults.bucket" (dict "path" (printf "%s.s3.bucket" $path) "bucket" .bucket) }}{{ end }}
{{- with $network.walrus }}
{{- $seconds := mul (sub (int (default 26 .epochs)) 1) (int (default 1209600 .epochSeconds)) }}
{{- if lt $seconds 2592000 }}
{{ $path }}.walrus.epochs: all epochs but one last less than 30 days, so each copy would always be due for renewal. Raise epochs.
{{- end }}
{{- end }}
{{- end }}

{{/* Networks that would overwrite each other's copies, or that have the same name. */}}
{{- define "tideport.faults.sharedNetworks" -}}
{{- $names := list }}
{{- $s3 := .Values.s3 }}
{{- $places := dict }}
{{- if not .Values.dev.s3.enabled }}{{ $places = dict (printf "bucket %s of %s" $s3.bucket (default "AWS" (trimSuffix "/" $s3.endpoint))) "the hot files" }}{{ end }}
{{- range include "tideport.networks" . | fromJsonArray }}
{{- if has .name $names }}
storage.networks: the name {{ .name }} is used twice. Give each network its own name.
{{- end }}
{{- $names = append $names .name }}
{{- $place := "" }}
{{- if eq .driver "embedded" }}{{ $place = printf "claim %s" .claim }}
{{- else if eq .driver "s3" }}{{ $place = printf "bucket %s of %s" .s3.bucket (default "AWS" (trimSuffix "/" .s3.endpoint)) }}
{{- else if eq .driver "ipfs" }}{{ $place = printf "directory %s of %s" .ipfs.mfsDirectory (first .ipfs.rpcUrls | trimSuffix "/") }}
{{- end }}
{{- if and $place (hasKey $places $place) }}
storage.networks: the {{ $place }} is used by {{ get $places $place }} and the network {{ .name }}. Give each its own.
{{- end }}
{{- if $place }}{{ $_ := set $places $place (printf "the network %s" .name) }}{{ end }}
{{- end }}
{{- end }}
