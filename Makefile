# make check is what .ci/run calls.
GO ?= go

.PHONY: check fmt vet staticcheck test race build image sizes

check: fmt vet staticcheck sizes test race

fmt:
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "gofmt would change: $$out"; exit 1; fi

vet:
	$(GO) vet ./...

staticcheck:
	$(GO) tool staticcheck ./...

# The README's test command. Packages one after the other: they time real connections on few cores.
test:
	$(GO) test -p 1 ./...

# nbio's own rows are left out under the race detector: see engines/enginetest for the reason.
race:
	$(GO) test -race -p 1 -short ./...

# Prints files above 300 lines and functions above 60: an alarm to look at, not a gate.
sizes:
	@git ls-files '*.go' | grep -v _test.go | xargs wc -l | awk '$$2!="total" && $$1>300 {print "above 300 lines: " $$2 " (" $$1 ")"}'
	@git ls-files '*.go' | grep -v _test.go | xargs awk 'FNR==1{n=0} /^func /{n=FNR; name=$$0} /^}/{if(n && FNR-n>60) print "above 60 lines: " FILENAME ":" n; n=0}'

build:
	CGO_ENABLED=0 GOOS=linux $(GO) build -trimpath -o bin/compare ./compare

image: build
	docker build -f docker/Dockerfile -t compare .
