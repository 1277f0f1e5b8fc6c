package engines

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// TLS reports whether the engine speaks TLS. Then nothing can be written past it: a bare round, which writes to the
// descriptor, would break the record stream.
func (o Options) TLS() bool { return len(o.CertPEM) > 0 }

// unforeseen reports whether the size of a message on the socket is known only when it gets there.
func (o *Options) unforeseen() bool { return o.Compress || o.TLS() }

// encryptedAtMost bounds what TLS makes of n bytes: both libraries put at least 1 KiB into each record of a long message,
// with less than 64 bytes around it.
func encryptedAtMost(n int64) int64 { return n + 64*(n>>10+1) }

// SelfSigned makes a certificate for the loopback addresses and the given hosts (names or addresses) and its key, good for a day:
// ECDSA on P-256, which both libraries handle alike.
func SelfSigned(hosts ...string) (certPEM, keyPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: "loopback"},
		NotBefore:    now.Add(-time.Hour), // clocks differ
		NotAfter:     now.Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else if host != "" {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), nil
}
